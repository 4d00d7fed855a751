// A bot from the protocol alone: gRPC and the generated code, no SDK. Answers any legal action, by lot.
//
//   CUTPURSE_ADDRESS=127.0.0.1:50051 CUTPURSE_TOKEN=... build/bot [MATCHES]
//
// It plays any game, in any number of matches at once, until it is told to stop or MATCHES are over. What it does
// besides thinking is what `cutpurse bot check` looks at; docs/protocol.md tells why.
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "cutpurse/v1/bot.grpc.pb.h"

namespace {

namespace pb = cutpurse::v1;
using Clock = std::chrono::steady_clock;

constexpr int kChoicesPerFrameMax = 256;
constexpr int kFrameBytesMax = 64 * 1024 * 1024;
constexpr std::chrono::seconds kSteady{5};

std::mt19937_64& Chance() {
  static std::mt19937_64 chance{std::random_device{}()};
  return chance;
}

// A pause that doubles with every attempt from the first, 50 ms to 5 s, with some chance in it.
void Pause(int attempt) {
  const double longest = std::min(5.0, 0.05 * static_cast<double>(1 << std::clamp(attempt - 1, 0, 10)));
  std::this_thread::sleep_for(
      std::chrono::duration<double>(longest * std::uniform_real_distribution<>(0.5, 1.0)(Chance())));
}

std::string NewRequestId() {
  std::string id(16, '\0');
  for (char& byte : id) byte = static_cast<char>(Chance()());
  return id;
}

// The answer was wrong: another one may be sent.
bool IsCorrectable(pb::ErrorReason reason) {
  return reason == pb::ERROR_REASON_CHOICE_MALFORMED || reason == pb::ERROR_REASON_CHOICE_ILLEGAL;
}

// The answer is as good as it was: it is sent again, as it is, after a pause.
bool IsPassing(pb::ErrorReason reason) {
  return reason == pb::ERROR_REASON_LOG_UNAVAILABLE || reason == pb::ERROR_REASON_RATE_LIMITED ||
         reason == pb::ERROR_REASON_INTERNAL || reason == pb::ERROR_REASON_DRAINING;
}

// A stream that ended so will end so again: a wrong token, another protocol version, …
bool IsForGood(grpc::StatusCode code) {
  return code == grpc::UNAUTHENTICATED || code == grpc::PERMISSION_DENIED || code == grpc::FAILED_PRECONDITION ||
         code == grpc::INVALID_ARGUMENT || code == grpc::NOT_FOUND || code == grpc::UNIMPLEMENTED;
}

// What the bot knows across its streams.
class Bot {
 public:
  // Takes a frame in, and returns what is to be said to it. What arrives twice is answered once.
  std::vector<pb::ConnectRequest> Receive(const pb::ConnectResponse& frame) {
    std::vector<pb::Choice> answers;
    for (const auto& accepted : frame.accepted()) {
      if (Match* match = WaitingFor(accepted.match(), accepted.request_id())) match->unanswered = false;
    }
    for (const auto& refused : frame.refused()) {
      if (Match* match = WaitingFor(refused.match(), refused.request_id())) Refused(refused, *match, answers);
    }
    for (const auto& decision : frame.decisions()) {
      Match& match = matches_[decision.match()];
      if (decision.decision() <= match.decision.decision()) continue;
      match.decision = decision;
      match.attempts = 0;
      answers.push_back(Answer(match, Choose(decision)));
    }
    for (const auto& ended : frame.ended()) {
      // A match may have ended without our having been asked anything.
      matches_.erase(ended.match());
      ended_.push_back(ended);
    }
    std::vector<std::string> offered;
    for (const auto& offer : frame.offers()) offered.push_back(offer.match());
    return Frames(offered, answers);
  }

  // What to say on a new stream: the answers that have no reply, as they were.
  std::vector<pb::ConnectRequest> SaidAgain() const {
    std::vector<pb::Choice> answers;
    for (const auto& [name, match] : matches_) {
      if (match.unanswered) answers.push_back(match.answer);
    }
    return Frames({}, answers);
  }

  const std::vector<pb::MatchEnded>& ended() const { return ended_; }

 private:
  struct Match {
    pb::Decision decision;    // The latest one; the first has number 1.
    pb::Choice answer;        // To that decision.
    bool unanswered = false;  // Whether the answer has no reply yet.
    int attempts = 0;         // Answers to that decision that were refused, for whatever reason.
  };

  // The bot's mind: the position of an action in the list of legal ones.
  static int Choose(const pb::Decision& decision) {
    return std::uniform_int_distribution<int>(0, decision.legal_size() - 1)(Chance());
  }

  // A new answer, kept until there is a reply. The request id is made once, here.
  static pb::Choice Answer(Match& match, int index) {
    match.answer.Clear();
    match.answer.set_match(match.decision.match());
    match.answer.set_decision(match.decision.decision());
    match.answer.set_request_id(NewRequestId());
    match.answer.set_index(static_cast<std::uint32_t>(index));
    match.unanswered = true;
    return match.answer;
  }

  // The match whose answer without a reply this is; null if there is none.
  Match* WaitingFor(const std::string& name, const std::string& request_id) {
    const auto found = matches_.find(name);
    const bool waits = found != matches_.end() && found->second.unanswered;
    return waits && found->second.answer.request_id() == request_id ? &found->second : nullptr;
  }

  // What to say to a refusal: another answer, the same one, or nothing.
  static void Refused(const pb::ChoiceRefused& refused, Match& match, std::vector<pb::Choice>& answers) {
    ++match.attempts;
    if (IsCorrectable(refused.reason())) {
      const int next = (static_cast<int>(match.answer.index()) + 1) % match.decision.legal_size();
      answers.push_back(Answer(match, next));
    } else if (IsPassing(refused.reason())) {
      Pause(match.attempts);
      answers.push_back(match.answer);
    } else {
      // The decision is over; so it is with any reason that only a newer service knows.
      match.unanswered = false;
    }
  }

  // As many frames as it takes, and none if there is nothing to say.
  static std::vector<pb::ConnectRequest> Frames(const std::vector<std::string>& readies,
                                                const std::vector<pb::Choice>& choices) {
    std::vector<pb::ConnectRequest> frames;
    const std::size_t longest = std::max(readies.size(), choices.size());
    for (std::size_t begin = 0; begin < longest; begin += kChoicesPerFrameMax) {
      pb::ConnectRequest& frame = frames.emplace_back();
      const std::size_t end = begin + kChoicesPerFrameMax;
      for (std::size_t at = begin; at < std::min(end, readies.size()); ++at) {
        frame.add_readies()->set_match(readies[at]);
      }
      for (std::size_t at = begin; at < std::min(end, choices.size()); ++at) *frame.add_choices() = choices[at];
    }
    return frames;
  }

  std::map<std::string, Match> matches_;
  std::vector<pb::MatchEnded> ended_;
};

// Encrypted where CUTPURSE_CA names the authority that vouches for the service; in plaintext on this machine only.
std::shared_ptr<grpc::ChannelCredentials> Credentials() {
  const char* authority = std::getenv("CUTPURSE_CA");
  if (authority == nullptr) return grpc::InsecureChannelCredentials();
  std::ostringstream read;
  read << std::ifstream(authority).rdbuf();
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = read.str();
  return grpc::SslCredentials(options);
}

// Dials in, and plays until the stream ends or so many matches are over; how the stream ended.
grpc::Status PlayStream(Bot& bot, const std::string& address, const std::string& token, std::size_t matches) {
  grpc::ChannelArguments arguments;
  // A frame of many views may be larger than gRPC's 4 MiB.
  arguments.SetMaxReceiveMessageSize(kFrameBytesMax);
  // Every attempt stands alone: gRPC would remember a failed address for a while.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  const auto channel = grpc::CreateCustomChannel(address, Credentials(), arguments);
  const auto stub = pb::BotService::NewStub(channel);
  grpc::ClientContext context;
  context.AddMetadata("authorization", "Bearer " + token);
  const auto stream = stub->Connect(&context);

  pb::ConnectRequest first;
  first.mutable_hello()->set_protocol_version(1);
  first.mutable_hello()->set_sdk("cpp-proto-only/1");
  // What cannot be written shows when reading ends.
  stream->Write(first);
  pb::ConnectResponse frame;
  bool draining = false;
  while (stream->Read(&frame)) {
    if (frame.has_welcome()) {
      for (const auto& said : bot.SaidAgain()) stream->Write(said);
    }
    for (const auto& said : bot.Receive(frame)) {
      if (!draining) stream->Write(said);
    }
    if (frame.has_draining() && !draining) {
      // Say nothing more here; the service ends the stream, and another one takes over.
      draining = true;
      stream->WritesDone();
    }
    if (bot.ended().size() >= matches) context.TryCancel();
  }
  return stream->Finish();
}

// Plays on one stream after the other; the exit code.
int Play(Bot& bot, const std::string& address, const std::string& token, std::size_t matches) {
  int attempt = 0;
  while (bot.ended().size() < matches) {
    const auto begun = Clock::now();
    const grpc::Status status = PlayStream(bot, address, token, matches);
    if (bot.ended().size() >= matches) break;
    if (IsForGood(status.error_code())) {
      std::cerr << "refused: " << status.error_message() << '\n';
      return 1;
    }
    // A stream that ended at once was no success, whatever it said.
    attempt = Clock::now() - begun > kSteady ? 1 : attempt + 1;
    Pause(attempt);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const char* address = std::getenv("CUTPURSE_ADDRESS");
  const char* token = std::getenv("CUTPURSE_TOKEN");
  if (address == nullptr || token == nullptr) {
    std::cerr << "set CUTPURSE_ADDRESS and CUTPURSE_TOKEN\n";
    return 2;
  }
  const std::size_t matches = argc > 1 ? std::stoul(argv[1]) : std::numeric_limits<std::size_t>::max();
  Bot bot;
  const int code = Play(bot, address, token, matches);
  for (const auto& ended : bot.ended()) {
    std::cout << "match " << ended.match() << ": place ";
    if (ended.seat() < static_cast<std::uint32_t>(ended.result().placements_size())) {
      std::cout << ended.result().placements(static_cast<int>(ended.seat())) << '\n';
    } else {
      std::cout << "none\n";
    }
  }
  return code;
}

/**
 * The generated code of the protocol: messages, their schemas, enums and services, for whatever the SDK does not wrap.
 *
 * @module
 */

/** Makes a message: `create(ArtRobberyActionSchema, { … })`. */
export { create } from "@bufbuild/protobuf";

export * from "./cutpurse/v1/art_robbery_pb.js";
export * from "./cutpurse/v1/audit_pb.js";
export * from "./cutpurse/v1/big_max_pb.js";
export * from "./cutpurse/v1/bot_pb.js";
export * from "./cutpurse/v1/errors_pb.js";
export * from "./cutpurse/v1/game_pb.js";
export * from "./cutpurse/v1/identity_pb.js";
export * from "./cutpurse/v1/log_pb.js";
export * from "./cutpurse/v1/match_pb.js";
export * from "./cutpurse/v1/shadow_thief_pb.js";
export * from "./cutpurse/v1/tournament_pb.js";

package dev.cutpurse.sdk;

import dev.cutpurse.v1.MatchEnded;
import java.util.List;

/**
 * What became of a bot's time at the tables.
 *
 * @param bot the bot's name as the service knows it
 * @param ending why it came to an end
 * @param matches matches that are over
 * @param decisions choices of the bot that are in the log
 * @param refused choices that were not taken, those included that were put right
 * @param results the ends of the latest matches, at most 10,000, in the order in which they came
 */
public record Summary(String bot, Ending ending, long matches, long decisions, long refused, List<MatchEnded> results) {}

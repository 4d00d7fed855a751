/**
 * The types of all games' views and actions: a further game is one line in each union.
 *
 * @module
 */

import type {
  ArtRobberyAction,
  ArtRobberyView,
  BigMaxAction,
  BigMaxView,
  ShadowThiefAction,
  ShadowThiefView,
} from "./protocol/index.js";

/** What a seat may know, as the game's own message; `$typeName` tells which. */
export type GameView = ArtRobberyView | ShadowThiefView | BigMaxView;

/** An action, as the game's own message. */
export type GameAction = ArtRobberyAction | ShadowThiefAction | BigMaxAction;

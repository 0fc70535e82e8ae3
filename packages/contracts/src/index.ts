export {
  AbortedError,
  ConfigurationError,
  type ErrorKind,
  GuardrailBlockedError,
  HalyardError,
  type HalyardErrorOptions,
  InvalidInputError,
  isHalyardError,
  ModelFailedError,
  NotFoundError,
  ObjectNotGeneratedError,
  TimeLimitError,
  ToolFailedError,
} from './errors.ts';
export type { JsonObject, JsonValue } from './json.ts';
export type { ApprovalStore, Clock, Ids, Logger, Storage, User } from './ports.ts';

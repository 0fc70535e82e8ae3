import { InvalidInputError, type JsonValue } from '@halyard/contracts';
import { NotJsonError, toJson } from '../../json/to-json.ts';

/**
 * A value of the author's code or of a caller, as JSON.
 *
 * @param subject begins the error message: `it returned`.
 * @throws InvalidInputError naming the part that is not JSON.
 */
export function acceptJson(value: unknown, subject: string): JsonValue {
  try {
    return toJson(value);
  } catch (error) {
    if (error instanceof NotJsonError) throw new InvalidInputError(`${subject} ${error.message}, which is not JSON`);
    throw error;
  }
}

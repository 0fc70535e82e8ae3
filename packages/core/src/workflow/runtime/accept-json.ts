import { InvalidInputError, type JsonValue } from '@halyard/contracts';
import { NotJsonError, toJson } from '../../json/to-json.ts';

/**
 * What the author's code gave, as JSON.
 *
 * @param how for the error: `it returned`.
 * @throws InvalidInputError saying what of it is not JSON.
 */
export function givenJson(value: unknown, how: string): JsonValue {
  try {
    return toJson(value);
  } catch (error) {
    if (error instanceof NotJsonError) throw new InvalidInputError(`${how} ${error.message}, which is not JSON`);
    throw error;
  }
}

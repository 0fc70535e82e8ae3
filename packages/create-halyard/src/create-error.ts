/** A message for the person who runs the program; nothing was created. */
export class CreateError extends Error {
  override readonly name = 'CreateError';
}

/** Arguments that are not JSON stay text: the model gets them back with the complaint. */
export function parsedInput(input: string): unknown {
  if (input.trim() === '') return {};
  try {
    return JSON.parse(input);
  } catch {
    return input;
  }
}

/**
 * A failure's message for a place that has little room and names the run: without the words before
 * the provider's report, which would push it out of view. Another text is shown as it is.
 */
export function causeOf(message: string): string {
  return message.replace(/^The model of agent "[^"]*" failed: (?=.)/, '');
}

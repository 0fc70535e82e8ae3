/**
 * All events of a stream, in order:
 * `const events = await collectEvents(await agent.streamText('Hello'))`.
 */
export async function collectEvents<Event>(events: AsyncIterable<Event>): Promise<Event[]> {
  const collected: Event[] = [];
  for await (const event of events) collected.push(event);
  return collected;
}

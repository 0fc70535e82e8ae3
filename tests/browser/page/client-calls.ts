import { createClient, NotFoundError, textOf } from '@halyard/client';

declare global {
  interface Window {
    /** Lets the test break the connection between the events of an execution. */
    cut: () => Promise<void>;
    calls: () => Promise<readonly unknown[]>;
  }
}

/** Calls the server that has served this page in each way, and returns what it answered. */
window.calls = async () => {
  const client = createClient();
  const seen: unknown[] = [];
  seen.push((await client.agent('assistant').text('Hello')).text);
  let text = '';
  for await (const part of textOf(client.agent('assistant').stream('Hello'))) text += part;
  seen.push(text);

  const execution = await client.workflow('order').start({ item: 'sail' });
  const numbers: number[] = [];
  for await (const event of execution) {
    if (!('seq' in event)) continue;
    numbers.push(event.seq);
    if (event.type === 'step-start') await window.cut();
  }
  seen.push(numbers);
  seen.push((await execution.resume({ resumeData: { approved: true } })).result);

  for await (const message of client.channel('/ws')) {
    seen.push(message.type);
    break;
  }
  const failure: unknown = await client
    .agent('nobody')
    .text('Hello')
    .catch((error: unknown) => error);
  seen.push(failure instanceof NotFoundError ? failure.code : String(failure));
  return seen;
};

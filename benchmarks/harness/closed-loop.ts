import type { AppProcess } from './app-process.ts';
import { Connection } from './connection.ts';
import { median } from './median.ts';
import type { AnswerCheck } from './replies.ts';
import { WrongAnswerError } from './replies.ts';
import { get } from './requests.ts';

export interface Load {
  readonly clients: number;
  /** Several requests are sent in turn. */
  readonly request: Buffer | readonly Buffer[];
  readonly check: AnswerCheck;
}

/** The figures of one round of one app. */
export interface RoundFigures {
  readonly cpuMsPerRequest: number;
  readonly firstDeltaMs: number;
  readonly bytesPerAnswer: number;
}

const answerWithinMs = 60_000;

/**
 * Each client sends a request, reads and checks the answer, and sends the next one, until the time
 * is over. Requests in progress are completed.
 */
export async function runRound(
  app: AppProcess,
  { clients, request, check }: Load,
  seconds: number,
): Promise<RoundFigures> {
  const connections = await Promise.all(Array.from({ length: clients }, () => Connection.open(app.port)));
  const watchdog = setTimeout(() => connections.forEach((each) => each.close()), seconds * 1000 + answerWithinMs);
  try {
    // Each connection first gets one answer, so that the cost of connecting is not measured.
    await Promise.all(connections.map((each) => each.send(get('/agents'))));

    const payloads = Buffer.isBuffer(request) ? [request] : request;
    let begun = 0;
    let requests = 0;
    let bytes = 0;
    const firstDeltas: number[] = [];
    const before = await app.cpuMicros();
    const until = performance.now() + seconds * 1000;
    await Promise.all(
      connections.map(async (connection) => {
        while (performance.now() < until) {
          const payload = payloads[begun % payloads.length] ?? Buffer.alloc(0);
          begun += 1;
          const answer = await connection.send(payload);
          check(answer);
          requests += 1;
          bytes = answer.body.length;
          if (answer.firstDeltaMs !== undefined) firstDeltas.push(answer.firstDeltaMs);
        }
      }),
    );
    const cpuMicros = (await app.cpuMicros()) - before;
    return { cpuMsPerRequest: cpuMicros / 1000 / requests, firstDeltaMs: median(firstDeltas), bytesPerAnswer: bytes };
  } catch (cause) {
    throw cause instanceof WrongAnswerError
      ? cause
      : new WrongAnswerError(`the answer is incomplete (${String(cause)})`, { cause });
  } finally {
    clearTimeout(watchdog);
    for (const each of connections) each.close();
  }
}

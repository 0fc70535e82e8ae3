import type { AnswerCheck } from './answers.ts';
import { WrongAnswerError } from './answers.ts';
import type { AppProcess } from './app-process.ts';
import { Connection } from './connection.ts';
import { median } from './median.ts';
import { get } from './requests.ts';

export interface Load {
  readonly clients: number;
  /** Of several each is sent in turn. */
  readonly request: Buffer | readonly Buffer[];
  readonly check: AnswerCheck;
}

/** What one round of one app came to. */
export interface RoundFigures {
  readonly cpuMsPerRequest: number;
  readonly firstDeltaMs: number;
  readonly bytesPerAnswer: number;
}

const answerWithinMs = 60_000;

/** Each client sends, reads its answer to the end, checks it and sends again, until the time is up; then all finish. */
export async function runRound(
  app: AppProcess,
  { clients, request, check }: Load,
  seconds: number,
): Promise<RoundFigures> {
  const connections = await Promise.all(Array.from({ length: clients }, () => Connection.open(app.port)));
  const watchdog = setTimeout(() => connections.forEach((each) => each.close()), seconds * 1000 + answerWithinMs);
  try {
    // A first answer on each proves that the server has accepted it: the cost of connecting is not part of the figure.
    await Promise.all(connections.map((each) => each.send(get('/agents'))));

    const turns = Buffer.isBuffer(request) ? [request] : request;
    let begun = 0;
    let requests = 0;
    let bytes = 0;
    const firstDeltas: number[] = [];
    const before = await app.cpuMicros();
    const until = performance.now() + seconds * 1000;
    await Promise.all(
      connections.map(async (connection) => {
        while (performance.now() < until) {
          const turn = turns[begun % turns.length] ?? Buffer.alloc(0);
          begun += 1;
          const answer = await connection.send(turn);
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
      : new WrongAnswerError(`no whole answer (${String(cause)})`, { cause });
  } finally {
    clearTimeout(watchdog);
    for (const each of connections) each.close();
  }
}

import { AbortedError } from '@halyard/contracts';
import type { RunTurn } from '../../../memory/turn/run-turn.ts';
import type { RunRequest } from '../prepare.ts';
import type { StartedRun } from '../start.ts';
import { conversationKey } from './run-conversation.ts';

const defaultWaitMs = 60_000;
const defaultLeaseMs = 10_000;

/**
 * Starts a run when it is its turn in the conversation, and ends the turn with the run. A run that writes nothing needs no turn. Neither does the step of a workflow: the
 * workflow may be part of a run that has it.
 *
 * @param start is told whether the run has the turn.
 * @throws what `ConversationTurns.run` throws.
 */
export async function inTurn(
  { agent, context, options, services }: Pick<RunRequest, 'agent' | 'context' | 'options' | 'services'>,
  start: (hasTurn: boolean) => Promise<StartedRun>,
): Promise<StartedRun> {
  const memory = agent.memoryIn(services);
  const key = memory && conversationKey({ context, options, services });
  const { turnPolicy = options.journal === undefined ? agent.onBusy : undefined } = options.journal ?? {};
  if (memory === undefined || key === undefined || turnPolicy === undefined) return start(false);
  if (memory.settings.readOnly || options.memory?.options?.readOnly === true) return start(false);
  const request = {
    id: `turn-${services.ids.next()}`,
    agentId: agent.id,
    conversationId: key.conversationId,
    userId: key.userId,
    policy: turnPolicy,
    signal: options.signal,
    waitMs: options.journal?.turnWaitMs ?? services.busyWaitMs ?? defaultWaitMs,
    leaseMs: services.leaseMs ?? defaultLeaseMs,
    journal: options.journal,
  };
  return memory.turns.run(request, async (turn) => {
    if (turn === undefined) return start(false);
    try {
      const { result, run } = await start(true);
      turn.onStop((why) => {
        if (why === 'lost') options.journal?.onTurnLost?.();
        run.limits.abort(new AbortedError());
      });
      return { run, result: endAfter(turn, result) };
    } catch (error) {
      await turn.end();
      throw error;
    }
  });
}

async function endAfter<Result>(turn: RunTurn, result: Promise<Result>): Promise<Result> {
  try {
    return await result;
  } finally {
    await turn.end();
  }
}

/** How often an execution of the checked workflow suspends. */
export const approvals = 3;

export type Phase = 'absent' | 'running' | 'suspended' | 'completed' | 'cancelled';

/** The state of one execution. `tokens` are those of its resumptions, in order. */
export interface ModelState {
  readonly phase: Phase;
  readonly tokens: readonly string[];
  /** A cancellation was accepted. It may take effect at any time. */
  readonly isCancelRequested: boolean;
}

/**
 * One atomic act of a client, or an observation. `round` is the question that a resumption answers.
 * `tokens` are undefined when the response does not contain them.
 */
export type Act =
  | { readonly type: 'start' }
  | { readonly type: 'resume'; readonly round: number; readonly token: string }
  | { readonly type: 'cancel' }
  | { readonly type: 'refused'; readonly kind: 'start' | 'resume' | 'cancel'; readonly round: number }
  | { readonly type: 'see'; readonly phase: Phase; readonly tokens: readonly string[] | undefined };

export const initialState: ModelState = { phase: 'absent', tokens: [], isCancelRequested: false };

/** The state after an act. Undefined when the act is not possible in this state. */
export function apply(state: ModelState, act: Act): ModelState | undefined {
  const { phase } = state;
  switch (act.type) {
    case 'start':
      return phase === 'absent' ? { ...state, phase: 'running' } : undefined;
    case 'resume':
      return waitsFor(state, act.round)
        ? { ...state, phase: 'running', tokens: [...state.tokens, act.token] }
        : undefined;
    case 'cancel':
      return isLive(phase) ? { ...state, isCancelRequested: true } : undefined;
    case 'refused':
      return isRefused(state, act) ? state : undefined;
    case 'see':
      return phase === act.phase && isSame(state.tokens, act.tokens) ? state : undefined;
    default:
      return act satisfies never;
  }
}

/** Whether an act never changes the state. */
export function isObservation({ type }: Act): boolean {
  return type === 'see' || type === 'refused';
}

/** The states that an execution can reach by itself. */
export function movesOf(state: ModelState): readonly ModelState[] {
  if (!isLive(state.phase)) return [];
  const moves: ModelState[] = [];
  if (state.phase === 'running') {
    moves.push({ ...state, phase: state.tokens.length < approvals ? 'suspended' : 'completed' });
  }
  if (state.isCancelRequested) {
    moves.push({ ...state, phase: 'cancelled' });
    // Cancelling a suspended execution claims it first.
    if (state.phase === 'suspended') moves.push({ ...state, phase: 'running' });
  }
  return moves;
}

function isRefused(state: ModelState, { kind, round }: Extract<Act, { readonly type: 'refused' }>): boolean {
  switch (kind) {
    case 'start':
      return state.phase !== 'absent';
    case 'resume':
      return !waitsFor(state, round);
    case 'cancel':
      return !isLive(state.phase);
    default:
      return kind satisfies never;
  }
}

function waitsFor({ phase, tokens }: ModelState, round: number): boolean {
  return phase === 'suspended' && tokens.length === round;
}

function isLive(phase: Phase): boolean {
  return phase === 'running' || phase === 'suspended';
}

function isSame(known: readonly string[], seen: readonly string[] | undefined): boolean {
  return seen === undefined || (known.length === seen.length && known.every((token, index) => token === seen[index]));
}

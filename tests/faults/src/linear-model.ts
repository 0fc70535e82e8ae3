/** How many answers an execution of the workflow of the check waits for, one after the other. */
export const approvals = 3;

export type Phase = 'absent' | 'running' | 'suspended' | 'completed' | 'cancelled';

/** Where one execution stands. `tokens` are of the answers that were taken, in their order. */
export interface ModelState {
  readonly phase: Phase;
  readonly tokens: readonly string[];
  /** Somebody was promised that it is cancelled: it may be, at any time. */
  readonly isCancelAsked: boolean;
}

/** One atomic act of a client, or what it saw. `tokens` where the answer tells them. */
export type Act =
  | { readonly type: 'start' }
  | { readonly type: 'resume'; readonly token: string }
  | { readonly type: 'cancel' }
  | { readonly type: 'refused'; readonly kind: 'start' | 'resume' | 'cancel' }
  | { readonly type: 'see'; readonly phase: Phase; readonly tokens: readonly string[] | undefined };

export const nothingYet: ModelState = { phase: 'absent', tokens: [], isCancelAsked: false };

/** What becomes of a state that an act meets; undefined where it cannot be what happened. */
export function apply(state: ModelState, act: Act): ModelState | undefined {
  const { phase } = state;
  switch (act.type) {
    case 'start':
      return phase === 'absent' ? { ...state, phase: 'running' } : undefined;
    case 'resume':
      return phase === 'suspended' ? { ...state, phase: 'running', tokens: [...state.tokens, act.token] } : undefined;
    case 'cancel':
      return isLive(phase) ? { ...state, isCancelAsked: true } : undefined;
    case 'refused':
      return isRefused(phase, act.kind) ? state : undefined;
    case 'see':
      return phase === act.phase && isSame(state.tokens, act.tokens) ? state : undefined;
    default:
      return act satisfies never;
  }
}

/** Whether an act leaves every state that it meets as it is. */
export function isObservation({ type }: Act): boolean {
  return type === 'see' || type === 'refused';
}

/** Where an execution may get by itself. */
export function movesOf(state: ModelState): readonly ModelState[] {
  if (!isLive(state.phase)) return [];
  const moves: ModelState[] = [];
  if (state.phase === 'running') {
    moves.push({ ...state, phase: state.tokens.length < approvals ? 'suspended' : 'completed' });
  }
  if (state.isCancelAsked) {
    moves.push({ ...state, phase: 'cancelled' });
    // Whoever cancels what waits takes it up to do so.
    if (state.phase === 'suspended') moves.push({ ...state, phase: 'running' });
  }
  return moves;
}

function isRefused(phase: Phase, kind: 'start' | 'resume' | 'cancel'): boolean {
  switch (kind) {
    case 'start':
      return phase !== 'absent';
    case 'resume':
      return phase !== 'suspended';
    case 'cancel':
      return !isLive(phase);
    default:
      return kind satisfies never;
  }
}

function isLive(phase: Phase): boolean {
  return phase === 'running' || phase === 'suspended';
}

function isSame(known: readonly string[], seen: readonly string[] | undefined): boolean {
  return seen === undefined || (known.length === seen.length && known.every((token, index) => token === seen[index]));
}

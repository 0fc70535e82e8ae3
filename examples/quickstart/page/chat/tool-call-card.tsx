import type { ReactNode } from 'react';
import { CheckIcon, ChevronIcon, CrossIcon, DeniedIcon, PauseIcon, StopIcon, ToolIcon } from './icons.tsx';
import { briefly, ReadableValue } from './readable-value.tsx';
import type { ToolCall, ToolCallState } from './tool-call.ts';

/** A tool call, folded: its name, its arguments in one line, and its state. Unfolded: input and output. */
export function ToolCallCard({ call }: { readonly call: ToolCall }): ReactNode {
  return (
    <details className="tool" data-state={call.state}>
      <summary>
        <ChevronIcon />
        <ToolIcon />
        <code>{call.name}</code>
        <span className="brief">{briefly(call.input)}</span>
        <ToolState state={call.state} />
      </summary>
      <div className="tool-body">
        <h4>Input</h4>
        <ReadableValue value={call.input} />
        {call.state === 'done' && (
          <>
            <h4>Output</h4>
            <ReadableValue value={call.output} />
          </>
        )}
        {call.error !== undefined && (
          <>
            <h4>Error</h4>
            <p className="tool-error">{call.error}</p>
          </>
        )}
      </div>
    </details>
  );
}

export function ToolState({ state }: { readonly state: ToolCallState }): ReactNode {
  const { icon, label } = states[state];
  return (
    <span className="state" data-state={state}>
      {icon}
      {label}
    </span>
  );
}

const states: Readonly<Record<ToolCallState, { readonly icon: ReactNode; readonly label: string }>> = {
  running: { icon: <span className="spinner" aria-hidden="true" />, label: 'Running' },
  asking: { icon: <PauseIcon />, label: 'Needs approval' },
  done: { icon: <CheckIcon />, label: 'Done' },
  failed: { icon: <CrossIcon />, label: 'Failed' },
  denied: { icon: <DeniedIcon />, label: 'Denied' },
  stopped: { icon: <StopIcon />, label: 'Stopped' },
};

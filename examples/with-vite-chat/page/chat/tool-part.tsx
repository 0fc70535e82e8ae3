import { getToolName, isToolUIPart } from 'ai';
import type { ReactNode } from 'react';
import type { HarbourMessage } from './harbour-client.ts';
import { TideCurve } from './tide-curve.tsx';

/** A tool call in a message. Each of its types has the input and output of one tool of the server. */
type Part = Extract<HarbourMessage['parts'][number], { readonly toolCallId: string }>;

/** Results that people read have a view of their own. The others are a line that says what happened. */
export function ToolPart({ isLive, part }: { readonly isLive: boolean; readonly part: Part }): ReactNode {
  if (part.type === 'tool-tideTimes' && part.state === 'output-available')
    return <TideCurve harbour={part.output.harbour} tides={part.output.tides} />;
  if (part.type === 'tool-listBerths' && part.state === 'output-available')
    return (
      <table className="berths">
        <thead>
          <tr>
            <th scope="col">Berth</th>
            <th scope="col">Depth</th>
            <th scope="col">Up to</th>
            <th scope="col">Night</th>
          </tr>
        </thead>
        <tbody>
          {part.output.berths.map(({ berth, depthMetres, longestMetres, poundsPerNight }) => (
            <tr key={berth}>
              <th scope="row">{berth}</th>
              <td>{depthMetres} m</td>
              <td>{longestMetres} m</td>
              <td>£{poundsPerNight}</td>
            </tr>
          ))}
        </tbody>
      </table>
    );
  const name = isToolUIPart(part) ? getToolName(part) : '';
  return (
    <p className="tool" data-state={part.state}>
      {names[name] ?? name}
      <span>{stateOf(part.state, isLive)}</span>
    </p>
  );
}

const names: Readonly<Record<string, string>> = {
  tideTimes: 'Tide tables',
  listBerths: 'List of berths',
  bookBerth: 'Booking',
};

function stateOf(state: Part['state'], isLive: boolean): string {
  switch (state) {
    case 'input-streaming':
    case 'input-available':
      return isLive ? 'running' : 'stopped';
    case 'approval-requested':
      return 'waits for you';
    case 'approval-responded':
      return 'answered';
    case 'output-available':
      return 'done';
    case 'output-error':
      return 'failed';
    case 'output-denied':
      return 'declined';
    default:
      return state satisfies never;
  }
}

import type { ReactNode } from 'react';
import type { HarbourMessage } from './harbour-client.ts';
import { TideCurve } from './tide-curve.tsx';

/**
 * Results that people read have a view of their own. The types of their outputs are those of the
 * server.
 */
export function viewTool(part: HarbourMessage['parts'][number]): ReactNode {
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
  return undefined;
}

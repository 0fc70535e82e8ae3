import type { ReactNode } from 'react';

/** The beginning of a conversation: a chart. */
export function Welcome(): ReactNode {
  return (
    <>
      <Chart />
      <h2>Where are you bound?</h2>
      <p>Ask about tides and berths. The desk asks you before it books.</p>
    </>
  );
}

/** A coast with its depths, as charts show it. */
function Chart(): ReactNode {
  return (
    <svg className="chart" viewBox="0 0 640 200" preserveAspectRatio="xMidYMid slice" aria-hidden="true">
      <rect className="deep" width="640" height="200" />
      <path
        className="mid"
        d="M0 0h640v92c-52 26-92-8-138 18-40 23-62 58-122 46-47-9-56-44-104-44-52 0-66 52-128 50C96 160 62 116 0 132z"
      />
      <path
        className="shoal"
        d="M0 0h640v58c-58 18-96-10-142 10-44 19-58 52-112 44-44-7-52-38-104-38-56 0-72 46-128 42C102 112 66 74 0 88z"
      />
      <path
        className="land"
        d="M0 0h640v26c-62 12-98-10-142 6-46 16-58 38-104 32-42-6-52-30-108-30-60 0-78 34-130 28C104 56 68 34 0 46z"
      />
      <path className="course" d="M86 182C180 164 236 140 282 96" />
      <circle className="buoy" cx="282" cy="92" r="5" />
      {soundings.map(([x, y, depth]) => (
        <text key={`${x} ${y}`} x={x} y={y}>
          {depth}
        </text>
      ))}
    </svg>
  );
}

const soundings: readonly (readonly [x: number, y: number, depth: string])[] = [
  [38, 116, '4'],
  [122, 132, '7'],
  [206, 104, '2'],
  [330, 128, '9'],
  [348, 92, '3'],
  [430, 140, '14'],
  [470, 84, '5'],
  [540, 116, '11'],
  [592, 74, '6'],
  [572, 168, '23'],
  [250, 176, '18'],
  [30, 174, '21'],
];

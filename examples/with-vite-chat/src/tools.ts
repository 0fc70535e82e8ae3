import { createTool } from '@halyard/core';
import { Type } from '@sinclair/typebox';
import { harbourNames, type Tide, tidesOf } from './tides.ts';

interface TidesOfHarbour {
  readonly harbour: string;
  readonly tides: readonly Tide[];
}

export const tideTimes = createTool({
  name: 'tideTimes',
  description: 'Times of the tides, high water and low water, in a harbour today',
  input: Type.Object({
    harbour: Type.Unsafe<string>({ type: 'string', enum: harbourNames, description: 'The harbour' }),
  }),
  execute: ({ harbour }): TidesOfHarbour => ({ harbour, tides: tidesOf(harbour, new Date()) }),
  // The page draws the output; the model reads sentences.
  toModelOutput: ({ output }) => ({ type: 'text', value: tidesInWords(output as TidesOfHarbour) }),
});

function tidesInWords({ harbour, tides }: TidesOfHarbour): string {
  const timesOf = (wanted: Tide['kind']): string =>
    tides.flatMap(({ kind, time }) => (kind === wanted ? [time] : [])).join(' and ');
  return `High water in ${harbour} is at ${timesOf('high')}, low water at ${timesOf('low')}.`;
}

interface Berth {
  readonly berth: string;
  readonly depthMetres: number;
  readonly longestMetres: number;
  readonly poundsPerNight: number;
}

const berths: readonly Berth[] = [
  { berth: 'A4', depthMetres: 2.1, longestMetres: 9, poundsPerNight: 28 },
  { berth: 'B11', depthMetres: 2.6, longestMetres: 12, poundsPerNight: 36 },
  { berth: 'C2', depthMetres: 3.4, longestMetres: 16, poundsPerNight: 49 },
];

const prices = berths.map(({ berth, poundsPerNight }) => `${berth} £${poundsPerNight}`).join(', ');

export const listBerths = createTool({
  name: 'listBerths',
  description: 'List the free berths with their depth and price per night',
  input: Type.Object({}),
  execute: () => ({ berths }),
  toModelOutput: () => ({
    type: 'text',
    value: `${berths.length} berths are free, with these prices per night: ${prices}.`,
  }),
});

const Berth = Type.Unsafe<string>({ type: 'string', enum: berths.map(({ berth }) => berth) });

/** It costs money, so the model cannot call it alone. */
export const bookBerth = createTool({
  name: 'bookBerth',
  description: 'Book a berth, such as B11, for a number of nights',
  input: Type.Object({ berth: Berth, nights: Type.Integer({ minimum: 1, maximum: 14 }) }),
  needsApproval: true,
  execute: ({ berth, nights }) => {
    const pounds = nights * (berths.find((one) => one.berth === berth)?.poundsPerNight ?? 0);
    return { message: `Berth ${berth} is booked for ${nights} nights: £${pounds}. Ask for it at the fuel dock.` };
  },
});

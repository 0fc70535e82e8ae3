import { createTool } from '@halyard/core';
import { Type } from '@sinclair/typebox';

const places = new Map(
  Intl.supportedValuesOf('timeZone').map((zone) => [
    zone
      .slice(zone.lastIndexOf('/') + 1)
      .replaceAll('_', ' ')
      .toLowerCase(),
    zone,
  ]),
);

export const getTime = createTool({
  name: 'getTime',
  description: 'Current local time and date in a city',
  input: Type.Object({ city: Type.String({ minLength: 1, description: 'A city, such as Paris or New York' }) }),
  execute: ({ city }) => {
    const timeZone = places.get(city.trim().toLowerCase());
    if (timeZone === undefined) return { city, known: false };
    const time = new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'full', timeStyle: 'short' }).format(
      new Date(),
    );
    return { city, time, timeZone };
  },
});

/** Conversions to and from the base units metre, kilogram and kelvin. */
const units: Readonly<
  Record<
    string,
    { readonly kind: string; readonly toBase: (value: number) => number; readonly fromBase: (base: number) => number }
  >
> = {
  kilometres: linear('length', 1000),
  miles: linear('length', 1609.344),
  metres: linear('length', 1),
  feet: linear('length', 0.3048),
  kilograms: linear('mass', 1),
  pounds: linear('mass', 0.453_592_37),
  celsius: { kind: 'temperature', toBase: (value) => value + 273.15, fromBase: (base) => base - 273.15 },
  fahrenheit: {
    kind: 'temperature',
    toBase: (value) => ((value - 32) * 5) / 9 + 273.15,
    fromBase: (base) => ((base - 273.15) * 9) / 5 + 32,
  },
};

type Unit = 'kilometres' | 'miles' | 'metres' | 'feet' | 'kilograms' | 'pounds' | 'celsius' | 'fahrenheit';
const Unit = Type.Unsafe<Unit>({ type: 'string', enum: Object.keys(units) });

export const convertUnits = createTool({
  name: 'convertUnits',
  description:
    'Convert a value from one unit to another: kilometres, miles, metres, feet, kilograms, pounds, celsius, fahrenheit',
  input: Type.Object({ value: Type.Number(), from: Unit, to: Unit }),
  execute: ({ value, from, to }) => {
    const [source, target] = [units[from], units[to]];
    if (source === undefined || target === undefined || source.kind !== target.kind)
      throw new RangeError(`${from} cannot be converted to ${to}`);
    return { value, from, to, result: Number(target.fromBase(source.toBase(value)).toFixed(3)) };
  },
});

function linear(kind: string, factor: number): (typeof units)[string] {
  return { kind, toBase: (value) => value * factor, fromBase: (base) => base / factor };
}

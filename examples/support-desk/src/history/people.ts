import type { Random } from './random.ts';
import type { Customer } from './script.ts';

const names = [
  'Ada Lindqvist',
  'Ben Okafor',
  'Carla Moretti',
  'Dmitri Petrov',
  'Elif Kaya',
  'Finn Larsen',
  'Grace Adeyemi',
  'Hugo Laurent',
  'Ines Carvalho',
  'Jonas Weber',
  'Keiko Tanaka',
  'Liam Murphy',
  'Mila Novak',
  'Noor Haddad',
  'Oskar Nowak',
  'Priya Raman',
  'Quentin Dubois',
  'Rosa Delgado',
  'Sven Eriksen',
  'Tara Singh',
  'Umar Farouk',
  'Vera Janssen',
  'Wim de Boer',
  'Xenia Papadaki',
  'Yara Costa',
  'Zoe Fischer',
  'Anton Berg',
  'Bianca Rossi',
  'Callum Reid',
  'Daria Ilic',
  'Emil Holm',
  'Farah Aziz',
  'Gustav Lund',
  'Hana Kim',
  'Ivo Marin',
  'Julia Krause',
  'Kofi Mensah',
  'Lena Vogel',
] as const;
const cities = ['Oslo', 'Leipzig', 'Lyon', 'Porto', 'Ghent', 'Turin', 'Aarhus', 'Utrecht', 'Graz', 'Cork'] as const;

export const colleagues = ['Maren', 'Tobias', 'Aisha', 'Luca'] as const;

const customers: readonly Customer[] = names.map((name, index) => ({
  id: name.toLowerCase().replaceAll(/[^a-z]+/gu, '.'),
  name,
  city: cities[index % cities.length] ?? 'Oslo',
}));

/** Some customers write much more often than others. */
export function someCustomer(random: Random): Customer {
  const index = Math.floor(random.next() ** 1.8 * customers.length);
  return customers[index] ?? { id: 'guest', name: 'Guest', city: 'Oslo' };
}

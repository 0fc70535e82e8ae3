import { expect, it } from 'vitest';
import { withoutQueryValues } from './redact-logs.ts';

it.each([
  ['/agents?key=secret', '/agents?key'],
  ['/api/memory/search?searchQuery=my%20HIV+test&userId=ada', '/api/memory/search?searchQuery&userId'],
  ['/ws?a=1&token=secret&b=2', '/ws?a&token&b'],
  ['/agents?k%65y=secret&KEY=secret', '/agents?k%65y&KEY'],
  ['/agents?key=a=secret', '/agents?key'],
  ['/agents?a=what?secret&b=x;secret', '/agents?a&b'],
  ['/agents?a=1#key=secret', '/agents?a'],
  ['/agents#key=secret?secret', '/agents'],
  ['/agents?%zz=secret', '/agents?%zz'],
  ['/agents?=secret', '/agents?'],
  ['/agents', '/agents'],
])('writes %s as %s', (url, expected) => {
  expect(withoutQueryValues(url)).toBe(expected);
});

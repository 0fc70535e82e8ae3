import { expect, it } from 'vitest';
import { toGeneratedFile } from './generated-file.ts';

it.each([
  ['data:image/png;base64,AQID', 'AQID', [1, 2, 3]],
  ['data:text/plain;charset=utf-8;base64,QQ==', 'QQ==', [65]],
  ['data:text/plain,AQID', '', []],
  ['https://files.example/data:image/png;base64,AQID', '', []],
])('has the content of %s', (url, base64, bytes) => {
  const file = toGeneratedFile('image/png', url, undefined);
  expect(file).toMatchObject({ mediaType: 'image/png', url, base64, uint8Array: new Uint8Array(bytes) });
  expect(file).not.toHaveProperty('providerMetadata');
  expect(toGeneratedFile('image/png', url, { p: { id: 1 } }).providerMetadata).toEqual({ p: { id: 1 } });
});

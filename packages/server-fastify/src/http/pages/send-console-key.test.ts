import { afterEach, expect, it, vi } from 'vitest';
import { type ExplorerRequest, sendConsoleKey } from './send-console-key.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

/** A page at an address. */
function openPage(address: string): { readonly href: string } {
  const location = { href: address };
  const replaceState = (_state: unknown, _unused: string, url: URL): void => {
    location.href = url.href;
  };
  vi.stubGlobal('window', { location, history: { state: null, replaceState } });
  return location;
}

const request = (url: string, loadSpec = false): ExplorerRequest => ({ url, headers: {}, loadSpec });

it('takes the key out of the address, and goes on sending it', () => {
  const location = openPage('http://localhost:3141/ui?key=a%2Bsecret&docs=all#/Agents');
  const sent = { 'x-console-access-key': 'a+secret' };
  expect(sendConsoleKey(request('http://localhost:3141/ui?key=a/json', true))).toMatchObject({
    url: '/ui/json',
    headers: sent,
  });
  expect(location.href).toBe('http://localhost:3141/ui?docs=all#/Agents');
  expect(sendConsoleKey(request('http://localhost:3141/agents')).headers).toEqual(sent);
  expect(sendConsoleKey(request('/ui/json', true))).toMatchObject({ url: '/ui/json', headers: sent });
  expect(sendConsoleKey(request('https://elsewhere.test/agents')).headers).toEqual({});
  expect(location.href).toBe('http://localhost:3141/ui?docs=all#/Agents');
});

it('changes nothing without a key', () => {
  const location = openPage('http://localhost:3141/ui/');
  const own = request('http://localhost:3141/ui/json', true);
  expect(sendConsoleKey(own)).toEqual(request('http://localhost:3141/ui/json', true));
  expect(location.href).toBe('http://localhost:3141/ui/');
});

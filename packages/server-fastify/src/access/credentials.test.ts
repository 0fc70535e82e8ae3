import { describe, expect, it } from 'vitest';
import { type CredentialSource, readCredentials } from './credentials.ts';

function tokenOf(authorization: string | readonly string[]): string | undefined {
  return readCredentials({ headers: { authorization }, query: {}, isWebSocket: false }).token;
}

function hasBypass(headers: CredentialSource['headers']): boolean {
  return readCredentials({ headers: { 'x-service-dev': 'true', ...headers }, query: {}, isWebSocket: false })
    .hasDevBypass;
}

it('reads the token and the bypass from the query of WebSockets only', () => {
  const query = { token: 't', dev: 'true', key: 'k' };
  expect(readCredentials({ headers: {}, query, isWebSocket: true })).toEqual({
    token: 't',
    consoleKey: 'k',
    hasDevBypass: true,
  });
  expect(readCredentials({ headers: {}, query, isWebSocket: false })).toMatchObject({
    token: undefined,
    hasDevBypass: false,
  });
  const headers = { 'x-service-dev': 'true', authorization: 'bEaReR  h ' };
  expect(readCredentials({ headers, query: { token: 't' }, isWebSocket: true })).toMatchObject({
    token: 'h',
    hasDevBypass: false,
  });
});

it('prefers the header to the query for the console key', () => {
  const headers = { 'x-console-access-key': 'header' };
  expect(readCredentials({ headers, query: { key: 'query' }, isWebSocket: false }).consoleKey).toBe('header');
  expect(readCredentials({ headers: {}, query: {}, isWebSocket: false }).consoleKey).toBeUndefined();
});

it.each([
  ['Bearer t', 't'],
  ['BEARER t', 't'],
  ['Bearer   t  ', 't'],
  ['Bearer t u', 't u'],
  ['Bearer', undefined],
  ['Bearer ', undefined],
  ['Bearert', undefined],
  ['xBearer t', undefined],
  ['Basic, Bearer t', undefined],
  ['Bearer t\nu', undefined],
  ['', undefined],
])('reads the token of the header %j as %j', (authorization, token) => {
  expect(tokenOf(authorization)).toBe(token);
});

it('reads no token from a header that was sent more than once', () => {
  expect(tokenOf(['Bearer t'])).toBeUndefined();
});

it.each([[''], [['t']], [1], [undefined]])('reads no token of a WebSocket from the query value %j', (token) => {
  expect(readCredentials({ headers: {}, query: { token }, isWebSocket: true }).token).toBeUndefined();
});

describe('the dev bypass', () => {
  it('is requested by the header `x-service-dev: true`', () => {
    expect(hasBypass({})).toBe(true);
  });

  it.each([['TRUE'], ['1'], [''], [['true']], [undefined]])('is not requested by the header value %j', (value) => {
    expect(hasBypass({ 'x-service-dev': value })).toBe(false);
  });

  it.each([['TRUE'], ['1'], [''], [['true']], [true], [undefined]])('is not requested by `dev=%j`', (dev) => {
    expect(readCredentials({ headers: {}, query: { dev }, isWebSocket: true }).hasDevBypass).toBe(false);
  });

  it('is accepted from a page of the server, and from no other page', () => {
    expect(hasBypass({ origin: 'http://localhost:3141', host: 'localhost:3141' })).toBe(true);
    expect(hasBypass({ origin: 'http://localhost:3141', host: 'localhost:9' })).toBe(false);
    expect(hasBypass({ origin: 'http://localhost:3141', host: ['localhost:3141'] })).toBe(false);
    expect(hasBypass({ origin: 'http://localhost:3141' })).toBe(false);
    expect(hasBypass({ 'sec-fetch-site': 'cross-site', host: 'localhost' })).toBe(false);
  });
});

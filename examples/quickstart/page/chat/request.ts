/** Calls the server, and returns the `data` of its answer. @throws Error with the server's message. */
export async function request<Data>(url: string, init: RequestInit = {}): Promise<Data> {
  const response = await fetch(url, init);
  const { data, error } = (await response.json()) as { data: Data; error?: string };
  if (!response.ok) throw new Error(error ?? `The server answered with status ${response.status}.`);
  return data;
}

export function jsonBody(method: string, body: object): RequestInit {
  return { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

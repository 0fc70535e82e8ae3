/** The part of a browser's `document` that tells whether somebody sees the page. */
interface Page {
  readonly visibilityState: string;
  addEventListener: (type: 'visibilitychange', listener: () => void) => void;
  removeEventListener: (type: 'visibilitychange', listener: () => void) => void;
}

/** Whether somebody can see the page. True where there is none, as in React Native. */
export function isVisible(): boolean {
  return (currentPage()?.visibilityState ?? 'visible') === 'visible';
}

/** @returns a function that stops it */
export function onVisibilityChange(listener: () => void): () => void {
  const page = currentPage();
  page?.addEventListener('visibilitychange', listener);
  return () => page?.removeEventListener('visibilitychange', listener);
}

function currentPage(): Page | undefined {
  return (globalThis as { readonly document?: Page }).document;
}

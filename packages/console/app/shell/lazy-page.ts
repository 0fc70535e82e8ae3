import { lazyRouteComponent } from '@tanstack/react-router';

const retryMs = 1_000;

/**
 * A page that is loaded when it is first opened. If its file does not come, this waits until the
 * server answers. The router then reads the window again, because a new version of the console may
 * have other files. At once, it would leave the console for the browser's own page about a server
 * that is down.
 */
export const lazyPage: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(
    () =>
      load().catch(async (error: unknown) => {
        await untilServerReplies();
        // The router knows by this beginning that a file is missing. Without it, a missing style
        // sheet would count as an error of the page.
        throw new TypeError(`Failed to fetch dynamically imported module: ${String(error)}`, { cause: error });
      }),
    name,
  );

async function untilServerReplies(): Promise<void> {
  for (;;) {
    try {
      await fetch(document.baseURI, { cache: 'no-store' });
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  }
}

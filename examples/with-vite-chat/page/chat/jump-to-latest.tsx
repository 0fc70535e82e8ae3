import { type ReactNode, type RefObject, useEffect, useState } from 'react';
import { DownIcon } from './icons.tsx';

/** A reader who scrolled up further than this is away from the end, in pixels. */
const awayPx = 120;

/** A button for readers who scrolled up. Scrolling to the end shows a growing answer again. */
export function JumpToLatest({ scroller }: { readonly scroller: RefObject<HTMLElement | null> }): ReactNode {
  const [isAway, setIsAway] = useState(false);
  useEffect(() => {
    const view = scroller.current;
    if (view === null) return undefined;
    // The order of the box is reversed: its end is at 0.
    const onScroll = (): void => setIsAway(view.scrollTop < -awayPx);
    view.addEventListener('scroll', onScroll, { passive: true });
    return () => view.removeEventListener('scroll', onScroll);
  }, [scroller]);
  if (!isAway) return null;
  return (
    <button type="button" className="jump" onClick={() => scroller.current?.scrollTo({ top: 0 })}>
      <DownIcon /> Jump to latest
    </button>
  );
}

import { type RefObject, useCallback, useEffect, useRef } from 'react';

/** This close to the end counts as at the end, in pixels. */
const nearPx = 48;

/** Keeps the end of a growing list in view while the reader is there. Scrolling up ends it. */
export function useFollow(): {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly content: RefObject<HTMLOListElement | null>;
  readonly follow: () => void;
} {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLOListElement>(null);
  const isFollowing = useRef(true);
  useEffect(() => {
    const [view, inner] = [scroller.current, content.current];
    if (view === null || inner === null) return undefined;
    let lastTop = 0;
    const onScroll = (): void => {
      const isNear = view.scrollHeight - view.scrollTop - view.clientHeight <= nearPx;
      if (isNear) isFollowing.current = true;
      else if (view.scrollTop < lastTop) isFollowing.current = false;
      lastTop = view.scrollTop;
    };
    const observer = new ResizeObserver(() => {
      if (isFollowing.current) view.scrollTop = view.scrollHeight;
    });
    observer.observe(inner);
    view.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      observer.disconnect();
      view.removeEventListener('scroll', onScroll);
    };
  }, []);
  const follow = useCallback(() => {
    isFollowing.current = true;
  }, []);
  return { scroller, content, follow };
}

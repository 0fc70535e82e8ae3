import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';

/** This close to the bottom counts as at the bottom, in pixels. */
const nearPx = 40;

export interface FollowBottom {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly content: RefObject<HTMLDivElement | null>;
  readonly isAtBottom: boolean;
  readonly scrollToBottom: () => void;
}

/** Follows growing content while the reader is at the bottom. Scrolling up ends it, scrolling back to the bottom starts it again. */
export function useFollowBottom(isGrowing: boolean): FollowBottom {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const isFollowing = useRef(true);
  const lastTop = useRef(0);
  const [isAtBottom, setIsAtBottom] = useState(true);

  const scrollToBottom = (): void => {
    isFollowing.current = true;
    if (scroller.current !== null) scroller.current.scrollTop = scroller.current.scrollHeight;
  };
  // The last part of an answer, and the buttons below it, appear when it has ended.
  useLayoutEffect(() => {
    if (isFollowing.current) scrollToBottom();
  }, [isGrowing]);

  useEffect(() => {
    const [view, inner] = [scroller.current, content.current];
    if (view === null || inner === null) return;
    const measure = (): void => {
      const isNear = view.scrollHeight - view.scrollTop - view.clientHeight <= nearPx;
      if (isNear) isFollowing.current = true;
      else if (view.scrollTop < lastTop.current) isFollowing.current = false;
      lastTop.current = view.scrollTop;
      setIsAtBottom(isNear);
    };
    const observer = new ResizeObserver(() => {
      // A reader who unfolds something in a complete answer stays where they are.
      if (isFollowing.current && isGrowing) view.scrollTop = view.scrollHeight;
      measure();
    });
    observer.observe(inner);
    observer.observe(view);
    view.addEventListener('scroll', measure, { passive: true });
    return () => {
      observer.disconnect();
      view.removeEventListener('scroll', measure);
    };
  }, [isGrowing]);

  return { scroller, content, isAtBottom, scrollToBottom };
}

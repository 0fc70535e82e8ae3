import { type ReactNode, useEffect, useState } from 'react';
import { MoonIcon, SunIcon } from './icons.tsx';

const key = 'halyard-theme';
const darkSystem = matchMedia('(prefers-color-scheme: dark)');

/** Switches between light and dark. Without a choice, the page follows the system. */
export function ThemeToggle(): ReactNode {
  const [theme, setTheme] = useState(() => localStorage.getItem(key) ?? '');
  useEffect(() => {
    document.documentElement.dataset['theme'] = theme;
  }, [theme]);
  const isDark = theme === 'dark' || (theme === '' && darkSystem.matches);
  const toggle = (): void => {
    const next = isDark ? 'light' : 'dark';
    localStorage.setItem(key, next);
    setTheme(next);
  };
  return (
    <button
      type="button"
      className="icon-button"
      aria-label={isDark ? 'Use light colours' : 'Use dark colours'}
      onClick={toggle}
    >
      {isDark ? <SunIcon /> : <MoonIcon />}
    </button>
  );
}

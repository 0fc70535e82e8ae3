import type { ReactNode } from 'react';
import { classes } from '../ui/classes.ts';
import { Icon } from '../ui/icons.tsx';
import { setTheme, useTheme } from './theme.ts';
import styles from './theme-toggle.module.css';

const themes = [
  { theme: 'system', icon: 'contrast', label: 'Theme of the system' },
  { theme: 'light', icon: 'sun', label: 'Light theme' },
  { theme: 'dark', icon: 'moon', label: 'Dark theme' },
] as const;

export function ThemeToggle(): ReactNode {
  const current = useTheme();
  return (
    <div className={styles.toggle} role="group" aria-label="Theme">
      {themes.map(({ icon, label, theme }) => (
        <button
          key={theme}
          type="button"
          aria-label={label}
          title={label}
          aria-pressed={theme === current}
          className={classes(theme === current && styles.current)}
          onClick={() => setTheme(theme)}
        >
          <Icon name={icon} size={14} />
        </button>
      ))}
    </div>
  );
}

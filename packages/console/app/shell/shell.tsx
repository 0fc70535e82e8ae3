import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { useIsRefused } from '../access/credential.ts';
import { Unlock } from '../access/unlock.tsx';
import { IconButton } from '../ui/button.tsx';
import { classes } from '../ui/classes.ts';
import { Icon } from '../ui/icons.tsx';
import { Toasts } from '../ui/toast.tsx';
import { Connection } from './connection.tsx';
import { Identity } from './identity.tsx';
import { NavigationBadge } from './navigation-badge.tsx';
import { navigation } from './navigation.ts';
import { ThemeToggle } from './theme-toggle.tsx';
import styles from './shell.module.css';

/** The frame of the console: navigation at the side, the page beside it. Without an accepted credential only the form for it is shown. */
export function Shell(): ReactNode {
  const isRefused = useIsRefused();
  const [isOpen, setOpen] = useState(false);
  const { pathname } = useLocation();
  useEffect(() => setOpen(false), [pathname]);
  if (isRefused) return <Unlock />;
  return (
    <div className={styles.shell}>
      <a href="#content" className={styles.skip}>
        Skip to the content
      </a>
      <div className={styles.top}>
        <IconButton
          icon={isOpen ? 'close' : 'menu'}
          label={isOpen ? 'Close the menu' : 'Open the menu'}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        />
        <Brand />
      </div>
      <div className={classes(styles.rail, isOpen && styles.open)}>
        <Brand />
        <nav aria-label="Console">
          {navigation.map(({ title, pages }) => (
            <div key={title} className={styles.group}>
              <h2>{title}</h2>
              <ul>
                {pages.map(({ icon, name, to }) => (
                  <li key={to}>
                    <Link
                      to={to}
                      className={styles.link}
                      activeProps={{ className: styles.active, 'aria-current': 'page' }}
                      activeOptions={{ exact: to === '/', includeSearch: false }}
                    >
                      <Icon name={icon} />
                      <span>{name}</span>
                      {name === 'Approvals' && <NavigationBadge />}
                    </Link>
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </nav>
        <footer className={styles.foot}>
          <Connection />
          <Identity />
          <ThemeToggle />
        </footer>
      </div>
      <Outlet />
      <Toasts />
    </div>
  );
}

function Brand(): ReactNode {
  return (
    <Link to="/" className={styles.brand} aria-label="Halyard: overview">
      <svg viewBox="0 0 32 32" aria-hidden="true">
        <path d="M15 3v20H5zM17 8l9 15h-9zM3 25h26l-4 4H7z" />
      </svg>
      <span>Halyard</span>
    </Link>
  );
}

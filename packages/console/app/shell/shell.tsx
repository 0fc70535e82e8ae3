import { Link, Outlet, useLocation, useMatches, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { useIsOwner, useIsRefused, useIsRestricted, useIsUser } from '../access/credential.ts';
import { Unlock } from '../access/unlock.tsx';
import { IconButton } from '../ui/button.tsx';
import { classes } from '../ui/classes.ts';
import { Icon } from '../ui/icons.tsx';
import { Toasts } from '../ui/toast.tsx';
import { Connection } from './connection.tsx';
import { Identity } from './identity.tsx';
import { KeyPage } from './key-page.tsx';
import { NavigationBadge } from './navigation-badge.tsx';
import { closedPageAt, navigationFor } from './navigation.ts';
import { Shortcuts } from './palette/shortcuts.tsx';
import { ThemeToggle } from './theme-toggle.tsx';
import styles from './shell.module.css';

/**
 * The frame of the console: navigation at the side, the page beside it. It has only the pages that
 * the credential opens. Without an accepted credential only the form for it is shown.
 */
export function Shell(): ReactNode {
  const isRefused = useIsRefused();
  const isUser = useIsUser();
  const opened = { isRestricted: useIsRestricted(), isOwner: useIsOwner() };
  const { isRestricted } = opened;
  const [isOpen, setOpen] = useState(false);
  const { pathname } = useLocation();
  // While the next page is loaded, the one before is still shown.
  const shown = useMatches({ select: (matches) => matches.at(-1)?.pathname ?? '/' });
  useEffect(() => setOpen(false), [pathname]);
  const navigate = useNavigate();
  useEffect(() => {
    // The first page of a user is the playground.
    if (isRestricted && pathname === '/') void navigate({ to: isUser ? '/playground' : '/approvals', replace: true });
  }, [isRestricted, isUser, pathname, navigate]);
  if (isRefused) return <Unlock />;
  const closed = closedPageAt(shown, opened);
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
        <Shortcuts />
        <nav aria-label="Console">
          {navigationFor(opened).map(({ title, pages }) => (
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
      {closed === undefined ? <Outlet /> : closed.to !== '/' && <KeyPage title={closed.name} />}
      <Toasts />
    </div>
  );
}

function Brand(): ReactNode {
  return (
    <Link to="/" className={styles.brand} aria-label="Halyard: first page">
      <svg viewBox="0 0 32 32" aria-hidden="true">
        <path d="M15 3v20H5zM17 8l9 15h-9zM3 25h26l-4 4H7z" />
      </svg>
      <span>Halyard</span>
    </Link>
  );
}

import type { ReactNode } from 'react';

/**
 * Icons of 16 px, drawn with lines of 1.5 px. They are decoration: the text beside them, or an
 * `aria-label`, says what they mean.
 */
const paths = {
  overview: <path d="M2 13V8m4 5V3m4 10V6m4 7v-3" />,
  approvals: <path d="M2.5 8.5 6 12l7.5-8" />,
  agents: (
    <>
      <rect x="2.5" y="5" width="11" height="8" rx="2" />
      <path d="M8 5V2.5M6 8.5v1m4-1v1" />
    </>
  ),
  workflows: (
    <>
      <circle cx="3.5" cy="3.5" r="1.5" />
      <circle cx="12.5" cy="8" r="1.5" />
      <circle cx="3.5" cy="12.5" r="1.5" />
      <path d="M5 3.5h2.5a2 2 0 0 1 2 2V6a2 2 0 0 0 1.5 2M5 12.5h2.5a2 2 0 0 0 2-2V10A2 2 0 0 1 11 8" />
    </>
  ),
  tools: (
    <path d="M9.8 6.2a3.2 3.2 0 0 1 3.9-3.9l-2 2 .3 1.7 1.7.3a3.2 3.2 0 0 1-3.9-.1L4.6 13a1.3 1.3 0 0 1-1.8-1.8z" />
  ),
  executions: <path d="M3 2.5v11l5-5.5zM8.5 2.5v11l5-5.5z" />,
  traces: <path d="M2 3.5h8M4 8h9M7 12.5h5" />,
  conversations: <path d="M2.5 3h11v8H7l-3 2.5V11H2.5z" />,
  logs: <path d="M2.5 3h11M2.5 6.3h7M2.5 9.7h11M2.5 13h5" />,
  audit: <path d="M4 2.5h8v11H4zM6.5 6h3m-3 2.5h3m-3 2.5h1.5" />,
  system: (
    <>
      <rect x="2.5" y="2.5" width="11" height="4.5" rx="1" />
      <rect x="2.5" y="9" width="11" height="4.5" rx="1" />
      <path d="M5 4.8h.01M5 11.3h.01" />
    </>
  ),
  webhooks: <path d="M2 8h9M8 4.5 11.5 8 8 11.5M13.5 3v10" />,
  search: (
    <>
      <circle cx="7" cy="7" r="4" />
      <path d="m10 10 3.5 3.5" />
    </>
  ),
  copy: (
    <>
      <rect x="5.5" y="5.5" width="8" height="8" rx="1" />
      <path d="M10.5 5.5v-2a1 1 0 0 0-1-1h-6a1 1 0 0 0-1 1v6a1 1 0 0 0 1 1h2" />
    </>
  ),
  attach: <path d="m13 7.5-5 5a3 3 0 0 1-4.3-4.3l5.6-5.5a2 2 0 0 1 2.9 2.8L6.8 10.9a1 1 0 0 1-1.5-1.4l4.6-4.6" />,
  edit: <path d="M3 13l.6-2.9L10.8 3l2.2 2.2-7.1 7.2zM9.5 4.3l2.2 2.2" />,
  model: <path d="M8 2.5 9.4 6.6 13.5 8 9.4 9.4 8 13.5 6.6 9.4 2.5 8l4.1-1.4z" />,
  check: <path d="m3 8.5 3.2 3.2L13 4.5" />,
  close: <path d="m4 4 8 8m0-8-8 8" />,
  chevron: <path d="m6 3.5 4.5 4.5L6 12.5" />,
  back: <path d="M10 3.5 5.5 8l4.5 4.5" />,
  compare: <path d="M8 2v12M3 5h2.5M3 8h2.5M3 11h2.5m5-6H13m-2.5 3H13m-2.5 3H13" />,
  menu: <path d="M2.5 4h11m-11 4h11m-11 4h11" />,
  sun: (
    <>
      <circle cx="8" cy="8" r="2.8" />
      <path d="M8 1.5v1.4m0 10.2v1.4M1.5 8h1.4m10.2 0h1.4M3.4 3.4l1 1m7.2 7.2 1 1m0-9.2-1 1m-7.2 7.2-1 1" />
    </>
  ),
  moon: <path d="M13 9.6A5.5 5.5 0 0 1 6.4 3a5.5 5.5 0 1 0 6.6 6.6z" />,
  contrast: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M8 2.5v11a5.5 5.5 0 0 0 0-11z" fill="currentColor" />
    </>
  ),
  play: <path d="M4.5 3v10l8-5z" />,
  stop: <rect x="4" y="4" width="8" height="8" rx="1" />,
  pause: <path d="M5.5 3.5v9m5-9v9" />,
  retry: <path d="M13 8a5 5 0 1 1-1.5-3.6M13 2.5v2.4h-2.4" />,
  rewind: <path d="M3 3.5v9m10-9L6 8l7 4.5z" />,
  external: <path d="M9 3h4v4m0-4L7.5 8.5M6.5 3.5H3v9.5h9.5V9.5" />,
  like: (
    <path d="M2.5 7.5h2.3v6H2.5zM4.8 8l2.7-5.5c1.2 0 1.8.9 1.6 2L8.7 6.5h3.5c.9 0 1.5.8 1.3 1.7l-1 4.2c-.2.7-.7 1.1-1.4 1.1H4.8" />
  ),
  dislike: (
    <path d="M2.5 8.5h2.3v-6H2.5zM4.8 8l2.7 5.5c1.2 0 1.8-.9 1.6-2L8.7 9.5h3.5c.9 0 1.5-.8 1.3-1.7l-1-4.2c-.2-.7-.7-1.1-1.4-1.1H4.8" />
  ),
  filter: <path d="M2.5 4h11m-9 4h7m-5 4h3" />,
  download: <path d="M8 2.5v8m-3-3 3 3 3-3M3 13.5h10" />,
  share: <path d="M6.5 9.5l3-3M7 4.5l1.6-1.6a2.5 2.5 0 0 1 3.5 3.5L10.5 8m-5 0L3.9 9.6a2.5 2.5 0 0 0 3.5 3.5L9 11.5" />,
  trash: <path d="M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.5 9h6l.5-9" />,
  person: (
    <>
      <circle cx="8" cy="5" r="2.5" />
      <path d="M3 13.5c.5-3 2.5-4.5 5-4.5s4.5 1.5 5 4.5" />
    </>
  ),
  key: (
    <>
      <circle cx="5" cy="11" r="2.5" />
      <path d="m7 9 6-6m-2.5 2.5 2 2" />
    </>
  ),
} satisfies Record<string, ReactNode>;

export type IconName = keyof typeof paths;

export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }): ReactNode {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      {paths[name]}
    </svg>
  );
}

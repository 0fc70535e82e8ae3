import type { ReactNode } from 'react';
import { ChatApp } from '../chat/chat-app.tsx';
import type { ChatLook } from '../chat/chat-look.ts';
import type { Harbour, HarbourClient } from './harbour-client.ts';
import { viewTool } from './view-tool.tsx';
import { Welcome } from './welcome.tsx';

interface HarbourChatProps {
  readonly client: HarbourClient;
  /** The user, on a server without access control. */
  readonly userId?: string;
  /** Shown at the end of the list of conversations. */
  readonly footer?: ReactNode;
}

export function HarbourChat(props: HarbourChatProps): ReactNode {
  return <ChatApp {...props} agentId="harbour" look={look} />;
}

const look: ChatLook<Harbour, 'harbour'> = {
  brand: (
    <>
      <CompassRose />
      Harbour desk
    </>
  ),
  speaker: 'Desk',
  placeholder: 'Ask the harbour desk',
  welcome: <Welcome />,
  questions: ['When is high water in Falmouth today?', 'Which berths are free?', 'Book berth B11 for 2 nights'],
  viewTool,
  toolNames: { tideTimes: 'Tide tables', listBerths: 'List of berths', bookBerth: 'Booking' },
  questionOf: (toolName, input) =>
    toolName === 'bookBerth' && typeof input === 'object' && input !== null && 'berth' in input && 'nights' in input
      ? `Book berth ${String(input.berth)} for ${String(input.nights)} nights?`
      : undefined,
};

function CompassRose(): ReactNode {
  return (
    <svg className="rose" viewBox="0 0 32 32" aria-hidden="true">
      <circle cx="16" cy="16" r="12.5" />
      <path d="M16 1 19 13 31 16 19 19 16 31 13 19 1 16 13 13z" />
    </svg>
  );
}

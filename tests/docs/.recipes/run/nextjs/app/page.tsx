import { Chat } from './chat.tsx';

export default async function Page({ searchParams }: { readonly searchParams: Promise<{ chat?: string }> }) {
  const { chat = 'welcome' } = await searchParams;
  return <Chat conversationId={chat} />;
}

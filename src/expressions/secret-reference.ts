import type { Reference } from './syntax';

/** Whether the value of a reference must not be printed (docs/language/configuration.md#secrets). */
export function isSecret({ context, name }: Reference): boolean {
  switch (context) {
    case 'user':
    case 'state':
      return true;
    case 'consumer':
      return name === 'client_secret';
    case 'authorization':
      return name === 'data' || name.startsWith('data.');
    default:
      return name.split('.').some((part) => part.startsWith('#'));
  }
}

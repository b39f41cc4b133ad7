import type { StoryGroup } from './story';
import { certificates } from './matrix/certificates';
import { credentials } from './matrix/credentials';
import { misleading } from './matrix/misleading';
import { surroundings } from './matrix/surroundings';

/** Every story, in the order of the page. */
export const STORIES: readonly StoryGroup[] = [surroundings, certificates, credentials, misleading];

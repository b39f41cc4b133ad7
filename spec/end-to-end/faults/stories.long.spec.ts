import { STORIES } from './stories';
import { describeStories } from './support/describe-stories';

describe.each(STORIES)('$title', (group) => describeStories(group));

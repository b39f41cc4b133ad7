import { redirects } from './matrix/redirects';
import { describeGroup } from './support/describe-group';

describeGroup(redirects);

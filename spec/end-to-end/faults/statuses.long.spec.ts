import { statuses } from './matrix/statuses';
import { describeGroup } from './support/describe-group';

describeGroup(statuses);

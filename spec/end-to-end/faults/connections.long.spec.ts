import { connections } from './matrix/connections';
import { describeGroup } from './support/describe-group';

describeGroup(connections);

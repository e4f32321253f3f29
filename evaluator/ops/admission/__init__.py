"""The door for ops given as data: what a source offers is run, measured and tried before anybody is judged by it."""

from evaluator.ops.admission.admit import Admitted as Admitted
from evaluator.ops.admission.admit import admit as admit
from evaluator.ops.admission.admit import finish as finish
from evaluator.ops.admission.examine import Dropped as Dropped
from evaluator.ops.admission.examine import Examined as Examined
from evaluator.ops.admission.examine import Refused as Refused
from evaluator.ops.admission.examine import examine as examine
from evaluator.ops.admission.report import Complaint as Complaint
from evaluator.ops.admission.report import Report as Report

"""What Dask says beside what is tested."""
import re

# What Dask says if the machine is so busy that a worker's end takes seconds.
SLOW_END = re.compile(r"^\S+ \S+ - distributed\.nanny - ERROR - .*?^(?:\w+\.)*TimeoutError$", re.M | re.S)

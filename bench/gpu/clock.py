"""Times of several candidates, interleaved: every round runs all of them, in an order that is drawn anew."""

import statistics
import time


class DeviceClock:
    """CUDA events on torch's stream."""

    def __init__(self, torch):
        self.torch = torch

    def synchronize(self):
        self.torch.cuda.synchronize()

    def median(self, call, repeats):
        """Median milliseconds of one call, after a warm-up of its own."""
        for _ in range(max(2, repeats // 2)):
            call()
        events = [self.torch.cuda.Event(enable_timing=True) for _ in range(repeats + 1)]
        events[0].record()
        for event in events[1:]:
            call()
            event.record()
        self.synchronize()
        return statistics.median(a.elapsed_time(b) for a, b in zip(events, events[1:]))


class HostClock:
    """The wall clock, for calls that return when they are done; or with `wait`, for what runs elsewhere."""

    def __init__(self, wait=None):
        self.wait = wait

    def synchronize(self):
        if self.wait:
            self.wait()

    def median(self, call, repeats):
        call()
        times = []
        # What is launched elsewhere is timed many at once: the wait is not part of a call.
        batch = repeats if self.wait else 1
        for _ in range(3 if self.wait else repeats):
            self.synchronize()
            start = time.perf_counter()
            for _ in range(batch):
                call()
            self.synchronize()
            times.append((time.perf_counter() - start) * 1e3 / batch)
        return statistics.median(times)


def measure(candidates, rounds, repeats, rng):
    """candidates: name -> (call, clock). Returns name -> medians of the rounds, in milliseconds."""
    times = {name: [] for name in candidates}
    for _ in range(rounds):
        order = list(candidates)
        rng.shuffle(order)
        for name in order:
            call, clock = candidates[name]
            times[name].append(clock.median(call, repeats))
    return times


def host_time(call, synchronize, count=1000):
    """Microseconds that the host needs for one call that only launches. Few at a time: a full queue would be waited for."""
    batch = 50
    best = []
    for _ in range(max(1, count // batch)):
        synchronize()
        start = time.perf_counter()
        for _ in range(batch):
            call()
        best.append((time.perf_counter() - start) * 1e6 / batch)
    synchronize()
    return statistics.median(best)

"""Error messages for users of other engines: Subtick's names for methods of schedules."""

from __future__ import annotations

from .other_names import other_names, words

schedule_names = other_names(
    "schedule",
    {
        **words(
            "every repeat loop schedule_every each", "write self.schedule.interval(function, 1.0)"
        ),
        **words(
            "after later delay in_seconds call_later timeout set_timeout wait timer",
            "write self.schedule.once(function, 1.0)",
        ),
        **words("set_interval", "write self.schedule.interval(function, 1.0)"),
        **words("unschedule remove clear", "write task = self.schedule.once(…), and task.cancel()"),
    },
)

"""Error messages for users of other engines: Subtick's names for particles and emitters."""

from __future__ import annotations

from .other_names import other_names, words

_ADVICE = (
    "write particles.emit(20, position=(x, y)); the presets are fire, smoke, sparks, confetti, "
    "rain and snow"
)

emitter_names = other_names(
    "emitter",
    {
        **words("start play resume", "write emitter.emitting = True"),
        **words("stop pause", "write emitter.emitting = False"),
        **words("burst emit", "write particles.emit(20, position=(x, y))"),
        **words("kill destroy delete queue_free", "write emitter.remove()"),
    },
    settings={
        **words("enabled active playing", "write emitter.emitting"),
        **words("emission_rate frequency amount", "write emitter.rate"),
        **words("pos x y", "write emitter.position"),
    },
)

presets_names = other_names(
    "Particles",
    dict.fromkeys(
        ("explosion", "explode", "burst", "flame", "flames", "spark", "dust", "magic", "fountain")
        + ("fireworks", "stars", "trail", "leaves", "blood", "splash", "water", "fog"),
        _ADVICE,
    ),
)

particle_system_names = other_names(
    "particles",
    {
        **words(
            "start play spawn create add emit_burst", "write particles.emit(20, position=(x, y))"
        ),
        **words("stop", "an emitter stops: write emitter.emitting = False, or particles.clear()"),
        **words("update", "the scene updates particles that were added by self.add(particles)"),
    },
    settings={
        **words(
            "emitting rate emission_rate amount",
            "write emitter = particles.emitter((x, y), rate=60), and emitter.emitting",
        ),
        **words("position", "write particles.emit(20, position=(x, y))"),
    },
)

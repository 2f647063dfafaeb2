"""Error messages for users of other engines: Subtick's names for sounds, music and buses."""

from __future__ import annotations

from .other_names import other_names, words

music_names = other_names(
    "music",
    {
        **words("pause unpause resume", "write audio.music.paused = True, or False"),
        **words("set_pos set_position rewind", "write audio.music.seek(seconds)"),
        **words("get_pos", "write audio.music.voice.seconds"),
        **words("fadeout fade_out fade", "write audio.music.stop(fade=1.0)"),
        **words("set_volume", "write audio.buses['music'].volume = 0.5"),
        **words("load", "write audio.music.play('theme.ogg')"),
        **words("get_busy is_playing", "write audio.music.playing"),
    },
    settings={
        "volume": "write audio.buses['music'].volume",
        "pitch": "write audio.buses['music'].pitch",
        "seconds": "write audio.music.voice.seconds",
        "loop": "write audio.music.play(path, loop=False)",
    },
)

sound_names = other_names(
    "sound",
    {
        **words("stop pause fade fadeout", "write voice = sound.play(), and later voice.stop()"),
        **words("set_volume", "write sound.play(volume=0.5)"),
        **words("loop play_loop", "write sound.play(loop=True)"),
        **words("play_once play_one_shot", "write sound.play()"),
        **words("load", "write fw.Sound('jump.wav')"),
        **words("get_length", "write sound.duration"),
    },
    settings={
        **words("volume pitch pan", "write sound.play(volume=0.5, pitch=1.2, pan=0)"),
        **words("length", "write sound.duration"),
        **words("playing is_playing", "write voice = sound.play(), and voice.playing"),
    },
)

voice_names = other_names(
    "voice",
    {
        **words("pause resume unpause", "write voice.paused = True, or False"),
        **words("set_position seek_to set_time", "write voice.seek(seconds)"),
        **words("play start", "write voice = sound.play(), which starts a new voice"),
        **words("set_volume", "write voice.volume = 0.5"),
        **words("set_pitch", "write voice.pitch = 1.5"),
        **words("fade_out fadeout fade", "write voice.stop(fade=1.0)"),
        **words("is_playing get_busy", "write voice.playing"),
    },
    settings={
        **words("speed rate pitch_scale", "write voice.pitch"),
        **words("loop looping", "write sound.play(loop=True)"),
        **words("gain volume_db", "write voice.volume"),
        **words("time position_seconds", "write voice.seconds"),
        **words("stream_paused is_paused", "write voice.paused"),
        **words("finished ended", "write not voice.playing"),
    },
)

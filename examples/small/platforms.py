"""Collisions: run and jump on tiles, and through thin platforms from below."""

import framework as fw

LEVEL = """
====................
......===.....======
....................
..==.........===....
.......====.........
...........##.......
####...######..#####
####...######..#####
"""


class Platforms(fw.Game):
    def setup(self):
        kit = fw.art.platformer  # platforms stop only what comes from above
        tiles = kit.from_text(LEVEL, {"#": "grass", "=": "platform"})
        self.level = self.add(fw.TileLayer(kit, tiles))
        self.hero = self.add(fw.SpriteBatch(fw.art.hero, 1, columns="velocity"))
        self.hero.position[:] = 30, 60
        self.jumps = fw.collide.JumpTimer(coyote=0.1, buffer=0.1)

    def update(self, dt):
        hero, way = self.hero, self.keys.axis("left", "right")
        hero.velocity += (90 * way - hero.velocity[0, 0], -600 * dt)
        motion = hero.velocity * dt
        hero.position, flags = fw.collide.move(hero.position, (10, 20), motion, self.level)
        hero.velocity[flags.on_floor | flags.on_ceiling, 1] = 0
        jumping = self.jumps.update(dt, flags.on_floor, self.keys.just_pressed("up"))
        hero.velocity[jumping, 1] = 270
        hero.play(("walk" if way else "idle") if flags.on_floor[0] else "jump")
        if way:
            hero.flip[:] = way < 0, False


if __name__ == "__main__":
    fw.run(Platforms, resolution=(320, 180), pixel_art=True, background="#9fd8ef")

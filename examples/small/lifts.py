"""Collisions: moving platforms, such as lifts and sleds, carry the objects on top of them."""

import numpy as np

import framework as fw

LEVEL = ".\n" * 5 + "##................##\n" + "##................##\n" * 3
HOME, WAY = np.array([(80.0, 45), (230, 60)]), np.array([(55, 0), (0, 45)])
SIZE = np.array([(48, 10), (40, 10)])


class Lifts(fw.Game):
    def setup(self):
        kit = fw.art.platformer
        self.level = self.add(fw.TileLayer(kit, kit.from_text(LEVEL, {"#": "stone"})))
        shapes, boxes = self.add(fw.Shapes()), zip(HOME, SIZE, strict=True)
        self.lifts = [shapes.add_box(*box, color="#f4a261") for box in boxes]
        self.place = HOME.copy()
        self.hero = self.add(fw.SpriteBatch(fw.art.hero, 1, columns="velocity"))
        self.hero.position[:] = 16, 80
        self.jumps = fw.collide.JumpTimer()

    def update(self, dt):
        before, self.place = self.place, HOME + WAY * fw.exact.sin(self.tick / 60)
        for lift, place in zip(self.lifts, self.place, strict=True):
            lift.position = place
        boxes = fw.collide.Boxes(self.place, SIZE, self.place - before)
        hero, way = self.hero, self.keys.axis("left", "right")
        hero.velocity += (90 * way - hero.velocity[0, 0], -600 * dt)
        motion = hero.velocity * dt
        hero.position, flags = fw.collide.move(hero.position, (10, 20), motion, self.level, boxes)
        hero.velocity[flags.on_floor | flags.on_ceiling, 1] = 0
        hero.velocity[self.jumps.update(dt, flags.on_floor, self.keys.just_pressed("up")), 1] = 270
        hero.play("walk" if way else "idle")
        if hero.position[0, 1] < -20:
            hero.position[:] = 16, 80


if __name__ == "__main__":
    fw.run(Lifts, resolution=(320, 180), pixel_art=True, background="#264653")

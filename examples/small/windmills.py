"""3D: meshes that move with a parent, such as the wings of windmills."""

import math

import framework as fw

TOWER = fw.Mesh.cone(1.1, 5, top=0.6)
WING = fw.Mesh.box((0.5, 2.6, 0.08)).transformed((0, 1.5, 0))


class Windmills(fw.Game):
    def setup(self):
        self.world.sky = self.world.shadows = True
        self.add(fw.MeshBatch(fw.Mesh.plane((200, 200)), 1, material=fw.Material("#7cb518")))
        self.nodes = fw.Nodes3D()
        self.towers = self.add(fw.NodeMeshes(TOWER, self.nodes, material=fw.Material("#f1ede4")))
        self.wings = self.add(fw.NodeMeshes(WING, self.nodes, material=fw.Material("#c1440e")))
        self.hubs = []
        for number in range(9):
            angle = math.tau * number / 9
            place = 9 * math.cos(angle), 2.5, 9 * math.sin(angle)
            tower = self.nodes.add(position=place)
            self.towers.show(tower)
            hub = self.nodes.add(tower, position=(0, 2, 1))  # the hub moves with its tower
            self.hubs.append(hub)
            for wing in range(4):
                turn = fw.quaternions.from_axis((0, 0, 1), 1.5708 * wing)
                self.wings.show(self.nodes.add(hub, rotation=turn))
        self.orbit = fw.Orbit(self.world.camera, target=(0, 3, 0), distance=24, pitch=0.25)
        self.labels.add("Hold space: storm. Drag: turn.", (480, 12), anchor="bottom")

    def update(self, dt):
        self.orbit.update(dt, self.keys, self.mouse)
        turn = fw.quaternions.from_axis((0, 0, 1), (6 if self.keys["space"] else 1) * dt)
        for hub in self.hubs:
            hub.rotation = fw.quaternions.multiply(hub.rotation, turn)


if __name__ == "__main__":
    fw.run(Windmills, resolution=(960, 540))

"""ImageFolder and ResNet-18, with the user's own DataLoader."""

import torch
from torch import nn
from torch.utils.data import DataLoader
from torchvision import datasets, models, transforms


def make_data(root, size=32):
    transform = transforms.Compose([transforms.RandomResizedCrop(size), transforms.ToTensor()])
    return DataLoader(
        datasets.ImageFolder(root, transform),
        batch_size=8,
        shuffle=True,
        num_workers=2,
        drop_last=True,
    )


def setup(device):
    model = models.resnet18(num_classes=10).to(device)
    return model, nn.CrossEntropyLoss(), torch.optim.SGD(model.parameters(), lr=0.01)


def train_step(batch, state):
    model, criterion, optimizer = state
    images, labels = batch
    loss = criterion(model(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss

"""A small project of Django REST framework: stations, paged by number, by offset and by cursor, for whoever has a token."""

import os
import sys

import django
from django.conf import settings

settings.configure(
    DEBUG=False,
    SECRET_KEY="headwater",
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF=__name__,
    USE_TZ=True,
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.environ["DB"]}},
    INSTALLED_APPS=[
        "django.contrib.auth",
        "django.contrib.contenttypes",
        "rest_framework",
        "rest_framework.authtoken",
    ],
)
django.setup()

from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection, models
from django.urls import include, path
from rest_framework import pagination, permissions, routers, serializers, viewsets
from rest_framework.authentication import TokenAuthentication
from rest_framework.authtoken.views import obtain_auth_token


class Station(models.Model):
    name = models.TextField()
    depth = models.FloatField()

    class Meta:
        app_label = "stations"


class Serializer(serializers.ModelSerializer):
    class Meta:
        model = Station
        fields = ["id", "name", "depth"]


class ByNumber(pagination.PageNumberPagination):
    page_size = 100
    page_size_query_param = "page_size"


class ByCursor(pagination.CursorPagination):
    page_size = 100
    ordering = "id"


def viewset(paginator):
    class ViewSet(viewsets.ReadOnlyModelViewSet):
        queryset = Station.objects.order_by("id")
        serializer_class = Serializer
        pagination_class = paginator
        authentication_classes = [TokenAuthentication]
        permission_classes = [permissions.IsAuthenticated]

    return ViewSet


router = routers.DefaultRouter()
router.register("stations", viewset(ByNumber), basename="station")
router.register("stations-by-cursor", viewset(ByCursor), basename="cursor")
urlpatterns = [path("api/", include(router.urls)), path("api/token/", obtain_auth_token)]

if __name__ == "__main__":
    call_command("migrate", verbosity=0)
    with connection.schema_editor() as editor:
        editor.create_model(Station)
    User.objects.create_superuser("headwater", password=os.environ["PASSWORD"])
    Station.objects.bulk_create(Station(name=f"station {i}", depth=i / 7) for i in range(1800))
    call_command("runserver", f"127.0.0.1:{sys.argv[1]}", use_reloader=False)
